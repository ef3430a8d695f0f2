// The form of an invoice with its lines, as a browser or a desk's screen would use it.

import type { Client } from '@model-api/core/client'
import type { Clinic } from './api.ts'
import { germanMessages, germanRefusals } from './messages.ts'

export interface FormLine {
  /** Absent in a line that is new. */
  readonly id?: number
  readonly text: string
  readonly quantity: number
  readonly price: string
}

export interface InvoiceForm {
  readonly id: number
  /** The state that was loaded: a save that finds another one is refused. */
  readonly etag: string
  readonly lines: readonly FormLine[]
}

export type Saved =
  | { readonly saved: true; readonly form: InvoiceForm }
  | { readonly saved: false; readonly messages: Readonly<Record<string, string>> }

const shown = { lines: { fields: ['id', 'text', 'quantity', 'price'] } } as const

export async function loadInvoice(client: Client<Clinic>, id: number): Promise<InvoiceForm> {
  const read = await client.invoices.get(id, { include: shown })
  if (!read.ok) throw read.error
  return { id, etag: read.etag ?? '*', lines: read.value.lines }
}

/** Saves all lines of the form: those without an id are new, and those that the form has lost are removed. */
export async function saveInvoice(client: Client<Clinic>, form: InvoiceForm): Promise<Saved> {
  const lines = form.lines.map((line, index) => ({ ...line, position: index + 1 }))
  const options = { ifMatch: form.etag, onMissing: { lines: 'remove' }, include: shown } as const
  const written = await client.invoices.update(form.id, { lines }, options)
  if (written.ok) {
    const { value, etag } = written
    return { saved: true, form: { id: form.id, etag: etag ?? '*', lines: value?.lines ?? [] } }
  }
  const { code, problems, message } = written.error
  const messages =
    problems.length > 0 ? germanMessages(problems) : { '': germanRefusals[code ?? ''] ?? message }
  return { saved: false, messages }
}
