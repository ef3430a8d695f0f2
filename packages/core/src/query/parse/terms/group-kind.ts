// The names that open a group of conditions: `or[…]`, `and[…]`, `not[…]`.

import type { GroupNode } from '../ast.ts'

export type GroupKind = GroupNode['kind']

export const groupKinds: readonly GroupKind[] = ['or', 'and', 'not']

export const isGroupKind = (name: string): name is GroupKind =>
  (groupKinds as readonly string[]).includes(name)
