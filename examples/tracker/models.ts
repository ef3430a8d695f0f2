// The models: the columns of each table, who may do what with it, and the callbacks of its writes.

import { belongsTo, type DatabaseOf, hasMany, manyToMany, modelsFor } from '@model-api/core'
import { type Caller, numbered, ofTenant, renumbered } from './rules.ts'

const { defineBase, defineModel } = modelsFor<Caller>()

const staff = { roles: ['owner', 'member'], any_of: true } as const

export const Organisation = defineModel('Organisation', {
  table: 'organisations',
  columns: {
    id: { type: 'uuid', primaryKey: true, generated: 'uuid' },
    name: { type: 'string', maxLength: 80 },
  },
  meta: {
    allowed_methods: ['GET', 'PATCH'],
    role_map: { GET: true, ALL: 'owner' },
    access_policy: {
      scope_query: (query, { user }) => query.where('id', '=', user.organisation_id),
    },
  },
})

/** The columns of every table of an organisation. */
const Tenant = defineBase({
  columns: {
    id: { type: 'uuid', primaryKey: true, generated: 'uuid' },
    organisation_id: { type: 'uuid', hidden: true, default: ({ user }) => user.organisation_id },
  },
  meta: {
    role_map: { GET: true, ALL: staff },
    access_policy: ofTenant,
  },
})

export const Member = Tenant.define('Member', {
  table: 'members',
  columns: {
    name: { type: 'string', maxLength: 80 },
    email: { type: 'string', maxLength: 120, unique: true, validator: 'email' },
    role: { type: 'enum', enum: ['owner', 'member', 'guest'] },
    password_hash: { type: 'string', maxLength: 60, nullable: true, hidden: true },
    invitation: { type: 'uuid', nullable: true, hidden: true, default: () => crypto.randomUUID() },
  },
  meta: { role_map: { GET: true, ALL: 'owner' } },
})

export const Project = Tenant.define('Project', {
  table: 'projects',
  columns: {
    name: { type: 'string', maxLength: 80 },
    issue_count: { type: 'integer', default: 0, hidden: true },
    deleted_at: { type: 'datetime', nullable: true },
  },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {},
})

export const Issue = Tenant.define('Issue', {
  table: 'issues',
  columns: {
    project_id: { type: 'uuid' },
    number: { type: 'integer', readOnly: true },
    title: { type: 'string', maxLength: 200 },
    state: { type: 'enum', enum: ['open', 'doing', 'done'], default: 'open' },
    estimate: { type: 'integer', nullable: true, read: staff, write: 'owner' },
    author_id: { type: 'uuid', readOnly: true, default: ({ user }) => user.id },
    assignee_id: { type: 'uuid', nullable: true },
    created: { type: 'datetime', managed: 'created' },
    updated: { type: 'datetime', managed: 'updated' },
    deleted_at: { type: 'datetime', nullable: true },
  },
  unique: [['project_id', 'number']],
  relations: {
    project: belongsTo('Project', 'project_id'),
    author: belongsTo('Member', 'author_id'),
    assignee: belongsTo('Member', 'assignee_id'),
    labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
    comments: hasMany('Comment', 'issue_id'),
  },
  meta: { add_callback: numbered, update_callback: renumbered },
})

export const Label = Tenant.define('Label', {
  table: 'labels',
  columns: { name: { type: 'string', maxLength: 40 } },
  unique: [['organisation_id', 'name']],
  meta: {},
})

export const Comment = Tenant.define('Comment', {
  table: 'comments',
  columns: {
    issue_id: { type: 'uuid', immutable: true },
    author_id: { type: 'uuid', readOnly: true, default: ({ user }) => user.id },
    text: { type: 'text' },
    created: { type: 'datetime', managed: 'created' },
    deleted_at: { type: 'datetime', nullable: true },
  },
  relations: { issue: belongsTo('Issue', 'issue_id'), author: belongsTo('Member', 'author_id') },
  meta: {
    role_map: { ALL: true }, // guests comment, too
    access_policy: {
      ...ofTenant,
      can_update: (comment, _changes, { user }) => comment.author_id === user.id,
      can_delete: (comment, { user }) =>
        comment.author_id === user.id || user.roles.includes('owner'),
    },
  },
})

export const AuditEntry = Tenant.define('AuditEntry', {
  table: 'audit_entries',
  columns: {
    member_id: { type: 'uuid' },
    action: { type: 'string', maxLength: 10 },
    model: { type: 'string', maxLength: 40 },
    record_id: { type: 'uuid' },
    at: { type: 'datetime', hasDefault: true },
  },
  relations: { member: belongsTo('Member', 'member_id') },
  meta: { allowed_methods: ['GET'], role_map: { ALL: 'owner' } },
})

/** Without meta: no endpoint. */
export const Session = defineModel('Session', {
  table: 'sessions',
  columns: {
    token_hash: { type: 'string', maxLength: 64, primaryKey: true },
    csrf_token: { type: 'uuid', hidden: true },
    member_id: { type: 'uuid' },
    expires: { type: 'bigint' },
  },
})

export const models = [
  Organisation,
  Member,
  Project,
  Issue,
  Label,
  Comment,
  AuditEntry,
  Session,
] as const

export type Database = DatabaseOf<typeof models>
