// Types that turn mistakes in a query object into compiler errors that name them: a misspelt member of `where` is not assignable to
// `{ 'there is no "titel" here': never }`. Types only.

type ObjectPart<T> = Extract<T, object>

/** The type `Actual` of an argument, but each member that `Expected` lacks has an error type with its name. */
export type Exactly<Expected, Actual> = {
  readonly [K in keyof Actual]: K extends keyof Expected
    ? Actual[K] extends readonly unknown[]
      ? Expected[K]
      : Actual[K] extends object
        ? Exactly<ObjectPart<Expected[K]>, Actual[K]>
        : Actual[K] extends Expected[K]
          ? Expected[K]
          : // An intersection of another text with an object of operators would accept the text.
            Exclude<Expected[K], object>
    : Misspelt<K>
}

/** A type that no value has, and that the compiler names in its error. */
export type Mistake<Text extends string> = { readonly [_ in Text]: never }

/** The error type of a member that does not exist. */
export type Misspelt<K> = Mistake<`there is no "${K & string}" here`>
