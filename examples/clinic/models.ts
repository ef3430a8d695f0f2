// The models: the columns of each table, who may do what with it, and the rules about appointments and invoices.

import {
  belongsTo,
  count,
  type DatabaseOf,
  hashPassword,
  hasMany,
  modelsFor,
  passwordCheck,
  sum,
} from '@model-api/core'
import { type Caller, lineOfDraft, ownAppointments, removing, sending } from './rules.ts'

const { defineModel } = modelsFor<Caller>()

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', minLength: 1, maxLength: 80 } as const
const money = { type: 'decimal', precision: 10, scale: 2, minimum: 0 } as const
const reception = { role_map: { GET: true, ALL: 'reception' } } as const

/** Who signs in. The password is stored as its hash, and in no response. */
export const User = defineModel('User', {
  table: 'users',
  columns: {
    id,
    username: { type: 'string', maxLength: 40, unique: true },
    password: {
      type: 'string',
      column: 'password_hash',
      format: 'password',
      minLength: 12,
      maxLength: 72,
      writeOnly: true,
      transform: hashPassword,
    },
    roles: { type: 'json', write: 'manager' },
    technician_id: { type: 'integer', nullable: true },
  },
  relations: { technician: belongsTo('Technician', 'technician_id') },
  methods: { check_password: passwordCheck('password') },
  meta: { role_map: { ALL: 'manager' } },
})

export const Site = defineModel('Site', {
  table: 'sites',
  columns: { id, name },
  relations: { appointments: hasMany('Appointment', 'site_id') },
  aggregates: { open_appointments: count('appointments', { status: { eq: 'open' } }) },
  meta: reception,
})

export const Technician = defineModel('Technician', {
  table: 'technicians',
  columns: { id, name },
  relations: { appointments: hasMany('Appointment', 'technician_id') },
  meta: reception,
})

export const Customer = defineModel('Customer', {
  table: 'customers',
  columns: {
    id,
    number: { type: 'string', maxLength: 12, unique: true },
    name,
    email: { type: 'string', maxLength: 120, nullable: true, validator: 'email' },
    birthday: { type: 'date', nullable: true },
  },
  relations: {
    appointments: hasMany('Appointment', 'customer_id'),
    invoices: hasMany('Invoice', 'customer_id'),
  },
  aggregates: { revenue: sum('invoices.total', { paid: { eq: true } }) },
  meta: reception,
})

export const Appointment = defineModel('Appointment', {
  table: 'appointments',
  columns: {
    id,
    site_id: { type: 'integer' },
    technician_id: { type: 'integer' },
    customer_id: { type: 'integer' },
    starts_at: { type: 'datetime' },
    ends_at: { type: 'datetime' },
    status: { type: 'enum', enum: ['open', 'done', 'cancelled'], default: 'open' },
  },
  relations: {
    site: belongsTo('Site', 'site_id'),
    technician: belongsTo('Technician', 'technician_id'),
    customer: belongsTo('Customer', 'customer_id'),
  },
  exclude: {
    name: 'technician_busy',
    technician_id: 'equal',
    period: ['starts_at', 'ends_at'],
    where: { status: { ne: 'cancelled' } },
  },
  meta: { role_map: { GET: true, PATCH: true, ALL: 'reception' }, access_policy: ownAppointments },
})

export const Service = defineModel('Service', {
  table: 'services',
  columns: { id, name, price: money },
  meta: reception,
})

export const Invoice = defineModel('Invoice', {
  table: 'invoices',
  columns: {
    id,
    customer_id: { type: 'integer', immutable: true },
    state: {
      type: 'enum',
      enum: ['draft', 'sent'],
      default: 'draft',
      validator: (state, _row, { before }) =>
        state === 'draft' || before !== null || 'An invoice begins as a draft.',
    },
    paid: { type: 'boolean', default: false },
    /** What the customer was asked for: set once, when the invoice is sent. */
    total: { ...money, nullable: true, readOnly: true },
    /** Set by changes of the lines, too, so that the ETag tells of them. */
    updated: { type: 'datetime', managed: 'updated' },
  },
  relations: {
    customer: belongsTo('Customer', 'customer_id'),
    lines: hasMany('Line', 'invoice_id', { on_delete: 'cascade', order_by: 'position' }),
  },
  aggregates: { sum_of_lines: sum('lines.amount') },
  meta: {
    role_map: { ALL: 'reception' },
    update_callback: sending,
    remove_callback: removing,
    error_codes: { invoice_sent: { status: 409, description: 'The invoice has been sent.' } },
  },
})

export const Line = defineModel('Line', {
  table: 'lines',
  columns: {
    id,
    /** Not to be changed, or a line could leave an invoice that has been sent. */
    invoice_id: { type: 'integer', immutable: true },
    position: { type: 'integer', minimum: 1 },
    text: { type: 'string', minLength: 1, maxLength: 200 },
    quantity: { type: 'integer', minimum: 1, default: 1 },
    price: money,
  },
  computed: {
    amount: {
      type: 'decimal',
      precision: 12,
      scale: 2,
      expression: (eb) => eb('price', '*', eb.ref('quantity').$castTo<string>()),
    },
  },
  relations: { invoice: belongsTo('Invoice', 'invoice_id') },
  meta: {
    role_map: { ALL: 'reception' },
    add_callback: lineOfDraft,
    update_callback: lineOfDraft,
    remove_callback: lineOfDraft,
    error_codes: { invoice_sent: { status: 409, description: 'The invoice has been sent.' } },
  },
})

export const models = [
  User,
  Site,
  Technician,
  Customer,
  Appointment,
  Service,
  Invoice,
  Line,
] as const

export type Database = DatabaseOf<typeof models>
