/** The requests to every rival, by its name. */
import type { Rival } from '../ask.ts'
import { feathers } from './feathers.ts'
import { platformatic } from './platformatic.ts'
import type { RivalAsks } from './rival.ts'
import { supabaseLite } from './supabase-lite.ts'
import { zenstack } from './zenstack.ts'

export const rivals: Readonly<Record<Rival, RivalAsks>> = {
  platformatic,
  zenstack,
  feathers,
  'supabase-lite': supabaseLite,
}
