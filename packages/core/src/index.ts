/** The public surface of model-api: re-exports only. */
export {}
