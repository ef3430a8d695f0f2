// The validators that a column may name; what each accepts is in `write/body/validators.ts`.

/** The names that `validator` accepts, as in `validator: 'email'`. */
export const validatorNames = ['email', 'uri', 'url', 'uuid', 'slug', 'hostname', 'ipv4'] as const

export type ValidatorName = (typeof validatorNames)[number]
