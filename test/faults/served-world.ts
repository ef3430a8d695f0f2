/** The models of the fault suite on the database FAULTS_TARGET, as a module for `model-api serve --workers`. */
import { openDatabase } from '@model-api/http-node'
import { apiOf, statementTimeout } from './world.ts'

const database = await openDatabase(process.env.FAULTS_TARGET ?? '', {
  statementTimeout,
  connections: 5,
})

export const api = apiOf(database.db, [], () => {})
export const close = database.close
