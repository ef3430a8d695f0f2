/** Writes by which users could give themselves roles, for each form of roles, and the status of each. */
import type { AnyModel } from '@model-api/core'
import { Agent, Clerk, Member } from './world.ts'
import { patch, post, put, type Write } from './write-doors.ts'

interface RoleDoor {
  /** The API_USER_MODEL. */
  readonly users: AnyModel
  readonly groups: readonly (readonly [status: number, writes: Write[]])[]
}

/** Keys of a visible, an out-of-scope, a deleted and a missing record. */
const keys = [1, 11, 21, 99]
const each = (make: (key: number) => Write): Write[] => keys.map(make)

const roles = ['admin']
const person = { id: 50, name: 'New', owner_id: 7 }
const merging = { 'content-type': 'application/merge-patch+json' }

const twoMembers = (id: number) => [
  { id: 2, name: 'x' },
  { id, roles },
]

export const doors: Readonly<Record<string, RoleDoor>> = {
  'the roles of users in a column': {
    users: Member,
    groups: [
      [400, [patch('/api/members/1', { roles }), patch('/api/members/2', { roles })]],
      [400, [patch('/api/members/1', { name: 'x', roles: null })]],
      [400, [patch('/api/members/1', { roles }, merging)]],
      [400, [put('/api/members/1', { ...person, id: 1, roles })]],
      [400, [patch('/api/members?id__eq=1', { roles })]],
      [400, [patch('/api/members', twoMembers(1))]],
      [400, [post('/api/members', { ...person, roles })]],
      [
        400,
        [
          post('/api/members', [
            { ...person, id: 51 },
            { ...person, roles },
          ]),
        ],
      ],
      [400, each((id) => post('/api/members?on_conflict=id', { ...person, id, roles }))],
      [400, [post('/api/crews', { ...person, members: [{ ...person, roles }] })]],
      [400, [patch('/api/crews/1', { members: [{ id: 1 }, { ...person, roles }] })]],
      [404, [11, 21, 99].map((key) => patch(`/api/members/${key}`, { roles }))],
      [404, [11, 21, 99].map((key) => patch('/api/members', twoMembers(key)))],
      // What GET shows may be sent back.
      [200, [patch('/api/members/1', { name: 'x', roles: ['viewer'] })]],
      [200, [put('/api/members/1', { ...person, id: 1 })]],
    ],
  },
  'the roles of users by a foreign key': {
    users: Clerk,
    groups: [
      [400, [1, 11, 21, 99].map((key) => patch('/api/clerks/1', { duty_id: key }))],
      [400, [1, 11, 21, 99].map((key) => patch('/api/clerks/1', { roles: { id: key } }))],
      [400, [patch('/api/clerks/1', { duty_id: null }), patch('/api/clerks/1', { roles: null })]],
      [400, [patch('/api/clerks/1', { roles: { id: 50, name: 'admin', owner_id: 7 } })]],
      [400, [put('/api/clerks/1', { ...person, id: 1, duty_id: 1 })]],
      [400, each((key) => post('/api/clerks', { ...person, duty_id: key }))],
      [400, each((key) => post('/api/clerks', { ...person, roles: { id: key } }))],
      [400, each((key) => post('/api/clerks?on_conflict=id', { ...person, id: 1, duty_id: key }))],
      [200, [patch('/api/clerks/1', { name: 'x', duty_id: 2 })]],
    ],
  },
  'the roles of users in links': {
    users: Agent,
    groups: [
      [400, each((key) => patch('/api/agents/1', { roles: [{ id: key }] }))],
      [400, [patch('/api/agents/1', { roles: [] })]],
      [400, [patch('/api/agents/1', { roles: [{ id: 50, name: 'admin', owner_id: 7 }] })]],
      [400, [patch('/api/agents', [{ id: 1, roles: [{ id: 1 }] }])]],
      [400, [put('/api/agents/1', { ...person, id: 1, roles: [{ id: 1 }] })]],
      [400, each((key) => post('/api/agents', { ...person, roles: [{ id: key }] }))],
      [400, each((key) => patch('/api/duties/1', { agents: [{ id: key }] }))],
      [400, each((key) => post('/api/duties', { ...person, agents: [{ id: key }] }))],
      [200, [patch('/api/agents/1', { name: 'x' }), patch('/api/duties/1', { name: 'x' })]],
    ],
  },
}
