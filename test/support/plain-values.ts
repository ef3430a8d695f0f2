/** Dialects whose conditions take values instead of parameters, for tests that compile one statement for each value. */
import type { Expression } from 'kysely'
import type {
  Dialect,
  ListTest,
  PlanValue,
  TextTest,
} from '../../packages/core/src/dialect/dialect.ts'
import { constant, type Param } from '../../packages/core/src/lib/sql/param.ts'

/** A text match with its text. */
export type PlainTextTest = Omit<TextTest, 'text'> & { readonly text: string }

type PlainListTest = Omit<ListTest, 'values'> & { readonly values: readonly PlanValue[] }

type WithPlainValues<D extends Dialect> = Omit<
  D,
  'compare' | 'oneOf' | 'textMatch' | 'listMatch'
> & {
  compare(...args: Plain<Parameters<Dialect['compare']>, PlanValue>): ReturnType<Dialect['compare']>
  oneOf(
    column: Parameters<Dialect['oneOf']>[0],
    ref: Expression<unknown>,
    values: readonly PlanValue[],
    negated: boolean,
  ): ReturnType<Dialect['oneOf']>
  textMatch(
    column: Parameters<Dialect['textMatch']>[0],
    ref: Expression<unknown>,
    test: PlainTextTest,
  ): ReturnType<Dialect['textMatch']>
  listMatch(
    column: Parameters<Dialect['textMatch']>[0],
    ref: Expression<unknown>,
    test: PlainListTest,
  ): ReturnType<NonNullable<Dialect['listMatch']>> | undefined
}

type Plain<A extends readonly unknown[], V> = {
  [I in keyof A]: A[I] extends Param<unknown> ? V : A[I]
}

export type PlainDialect = WithPlainValues<Dialect>

export const withPlainValues = <D extends Dialect>(dialect: D): WithPlainValues<D> => ({
  ...dialect,
  compare: (column, ref, operator, value) =>
    dialect.compare(column, ref, operator, constant(value)),
  oneOf: (column, ref, values, negated) => dialect.oneOf(column, ref, constant(values), negated),
  textMatch: (column, ref, test) =>
    dialect.textMatch(column, ref, { ...test, text: constant(test.text) }),
  listMatch: (column, ref, test) =>
    dialect.listMatch?.(column, ref, { ...test, values: constant(test.values) }),
})
