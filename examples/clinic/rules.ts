// What the models share: who calls, whose rows are theirs, and when an invoice may change.

import {
  type AccessPolicy,
  type Api,
  apiError,
  type HookArgs,
  type WriteCallback,
} from '@model-api/core'
import type { Client } from '@model-api/core/client'
import type { Invoice, Line } from './models.ts'

/** The record of the user who is signed in: `user` in every hook. */
export interface Caller {
  readonly id: number
  readonly technician_id: number | null
  readonly roles: readonly string[]
}

/** Reception sees all appointments, a technician their own. */
export const ownAppointments: AccessPolicy<Caller> = {
  scope: ({ user }) =>
    user.roles.includes('reception') || { technician_id: { eq: user.technician_id } },
}

/** Reads the invoice as the system, after it has been locked: no other transaction changes it or its lines until this one ends. */
async function lockedInvoice(id: number, args: HookArgs<Caller>) {
  await args.lock('Invoice', id)
  const client: Client<Api<{ models: [typeof Invoice, typeof Line] }>> = args.as.system
  return client.invoices.get(id).unwrap()
}

const alreadySent = () =>
  apiError(409, 'Conflict', 'The invoice has been sent, and cannot change.', 'invoice_sent')

/** Lines belong to a draft. An invoice that is being sent at the same time waits for them, or they for it. */
export const lineOfDraft: WriteCallback<Caller> = async (line, _model, args) => {
  const { state } = await lockedInvoice(line.invoice_id, args)
  if (state === 'sent') throw alreadySent()
  return line
}

/** An invoice that is sent keeps its total; afterwards it can only be paid. */
export const sending: WriteCallback<Caller> = async (invoice, _model, args) => {
  const { state, sum_of_lines } = await lockedInvoice(invoice.id, args)
  if (state === 'sent' && invoice.state !== 'sent') throw alreadySent()
  return invoice.state === 'sent' && state === 'draft'
    ? { ...invoice, total: sum_of_lines ?? '0.00' }
    : invoice
}

export const removing: WriteCallback<Caller> = async (invoice, _model, args) => {
  const { state } = await lockedInvoice(invoice.id, args)
  if (state === 'sent') throw alreadySent()
  return invoice
}
