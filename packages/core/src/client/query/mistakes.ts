// Types that turn mistakes in a query object into compiler errors that name them. Types only.

type ObjectPart<T> = Extract<T, object>

/** The type `Given`, but each member that `Expected` lacks has an error type with its name. */
export type Exactly<Expected, Given> = {
  readonly [K in keyof Given]: K extends keyof Expected
    ? Given[K] extends readonly unknown[]
      ? Expected[K]
      : Given[K] extends object
        ? Exactly<ObjectPart<Expected[K]>, Given[K]>
        : Given[K] extends Expected[K]
          ? Expected[K]
          : // An intersection of another text with an object of operators would accept the text.
            Exclude<Expected[K], object>
    : Misspelt<K>
}

/** A type that no value has, and that the compiler names in its error. */
export type Mistake<Text extends string> = { readonly [_ in Text]: never }

export type Misspelt<K> = Mistake<`there is no "${K & string}" here`>
