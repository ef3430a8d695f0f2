// The entry `@model-api/core/internals`: parts of the core for the tools and tests of this repository; unstable.

export { clientAddress } from './auth/limits/address.ts'
export { memoryStore } from './auth/limits/memory-store.ts'
export { createSharedCounts } from './database/shared-counts.ts'
export { detectDialect } from './dialect/detect.ts'
export { sessionSettings } from './dialect/settings-by-database.ts'
export { settingsStatement } from './dialect/shared/session/session-settings.ts'
export { asksForArrays, withoutArrayMark } from './dialect/shared/values/array-rows.ts'
export { buildRouteTable, matchRoute } from './http/route-table.ts'
export type { Clock } from './lib/clock.ts'
export { sql as fragment } from './lib/sql/fragment.ts'
export { constant, Param } from './lib/sql/param.ts'
export { bind, printForStore } from './lib/sql/stored-statement.ts'
export { inRange, parseIp, parseIpRange } from './model/settings/auth/ip-range.ts'
export { readRateWindows } from './model/settings/auth/rate-windows.ts'
export { skeletonOf } from './query/cache/skeleton.ts'
export { compileEmbed } from './query/compile/json/embed-query.ts'
export { compileCount } from './query/compile/rows/row-count.ts'
export { compileRows } from './query/compile/rows/row-query.ts'
export type { Target } from './query/compile/target.ts'
export type { QueryAst } from './query/parse/ast.ts'
export { parseQuery } from './query/parse/parse-query.ts'
export { printQuery } from './query/parse/print-query.ts'
export type {
  Condition,
  EmbedPlan,
  ListPlan,
  Operand,
  ReadPlan,
  RelatedRef,
  RowPlan,
} from './query/plan/plan.ts'
export { planList, planOne, planRelated } from './query/plan/read-plan.ts'
export { readPage } from './query/run/read-rows.ts'
