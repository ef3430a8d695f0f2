// The entry `@model-api/core/internals`: single stages, for tools and tests; unstable.

export type { Clock } from './call/clock.ts'
export { compileEmbed } from './compile/embed-query.ts'
export { compileCount } from './compile/row-count.ts'
export { compileRows } from './compile/row-query.ts'
export type { Target } from './compile/target.ts'
export { inRange, parseIp, parseIpRange } from './config/ip-range.ts'
export { rateWindows } from './config/rate-windows.ts'
export { detectDialect } from './dialect/detect.ts'
export { sessionSettings } from './dialect/session-settings.ts'
export { asksForArrays, withoutMark } from './dialect/shared/array-rows.ts'
export { settingsStatement } from './dialect/shared/session-settings.ts'
export { readPage } from './execute/read.ts'
export { createSharedCounts } from './execute/shared-counts.ts'
export { buildRouteTable, matchRoute } from './http/route-table.ts'
export { clientAddress } from './limits/address.ts'
export { memoryStore } from './limits/memory-store.ts'
export type { QueryAst } from './parse/ast.ts'
export { parseQuery } from './parse/parse-query.ts'
export { printQuery } from './parse/print-query.ts'
export type {
  Condition,
  EmbedPlan,
  ListPlan,
  Operand,
  ReadPlan,
  RowPlan,
} from './plan/plan.ts'
export { planList, planOne, planRelated } from './plan/read-plan.ts'
export { skeletonOf } from './plan-cache/skeleton.ts'
export { sql as fragment, withOrigin } from './sql/fragment.ts'
export { filled, templateOf } from './sql/template.ts'
