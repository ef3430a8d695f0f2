/** An API whose writes all take a transaction, also those that one statement could do. */
import { withFastPaths } from '@model-api/core/internals'
import { testApi } from './api.ts'

/** As `testApi`. */
export const plainWrites: typeof testApi = (db, models, config, options = {}) =>
  testApi(db, models, config, withFastPaths(options, { singleStatementWrites: false }))
