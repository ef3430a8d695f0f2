// What the form says: the problems of a response, in German, by their codes.

import type { FieldProblem } from '@model-api/core/client'

const labels: Readonly<Record<string, string>> = {
  customer_id: 'Kunde',
  text: 'Text',
  quantity: 'Menge',
  price: 'Preis',
  position: 'Zeile',
  email: 'E-Mail',
  birthday: 'Geburtstag',
  starts_at: 'Beginn',
  ends_at: 'Ende',
  technician_id: 'Techniker',
}

const types: Readonly<Record<string, string>> = {
  integer: 'eine ganze Zahl',
  decimal: 'ein Betrag',
  date: 'ein Datum',
  datetime: 'ein Zeitpunkt',
}

/** Says a problem; undefined where no German sentence is known, and the English message of the API is shown. */
function sentence(problem: FieldProblem): string | undefined {
  switch (problem.code) {
    case 'required':
    case 'null_not_allowed':
      return 'Bitte ausfüllen.'
    case 'too_long':
      return `Höchstens ${problem.params.max} Zeichen, es sind ${problem.params.length}.`
    case 'too_short':
      return `Mindestens ${problem.params.min} Zeichen.`
    case 'too_small':
      return `Mindestens ${problem.params.min}.`
    case 'too_large':
      return `Höchstens ${problem.params.max}.`
    case 'too_precise':
      return `Höchstens ${problem.params.max} Stellen nach dem Komma.`
    case 'wrong_type':
      return `Hier wird ${types[problem.params.type] ?? problem.params.type} erwartet.`
    case 'not_after':
      return `Muss nach „${labels[problem.params.field] ?? problem.params.field}“ liegen.`
    case 'overlap':
      return 'In dieser Zeit ist der Techniker schon vergeben.'
    case 'not_listed':
      return 'Bitte einen der Werte wählen.'
    case 'invalid_format':
      return 'Das ist keine gültige Angabe.'
    case 'missing_reference':
    case 'record_not_found':
      return 'Diesen Eintrag gibt es nicht mehr.'
    case 'unique_violation':
      return 'Diese Angabe ist schon vergeben.'
    default:
      return undefined
  }
}

/** The sentences of a form: for each input, by its path as `lines[1].price`, what to say under it. */
export function germanMessages(
  problems: readonly FieldProblem[],
): Readonly<Record<string, string>> {
  const said = problems.map((problem) => [
    problem.path,
    `${labelOf(problem.path)}: ${sentence(problem) ?? problem.message}`,
  ])
  return Object.fromEntries(said)
}

const labelOf = (path: string): string => {
  const field = path.replace(/^.*\./, '')
  return labels[field] ?? field
}

/** What a refusal of the whole request means, by the code of the error. */
export const germanRefusals: Readonly<Record<string, string>> = {
  precondition_failed: 'Jemand anderes hat die Rechnung inzwischen geändert. Bitte neu laden.',
  invoice_sent: 'Die Rechnung ist schon verschickt und kann nicht mehr geändert werden.',
  forbidden: 'Dazu fehlt die Berechtigung.',
}
