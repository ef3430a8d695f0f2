// answerRoute: the stage `endpoint`: calls the endpoint of a route and method. Reads go to a replica, if there is one; responses of writes
// get the write position (`X-Write-Position`).

import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { getMany } from '../reads/collection.ts'
import { isRead, readPreferringReplica } from '../reads/database/read-source.ts'
import { sendsPosition, withPosition } from '../reads/database/write-position.ts'
import { getOne } from '../reads/item.ts'
import { getRelated } from '../reads/related.ts'
import { removeMany, updateMany } from '../writes/bulk.ts'
import { create } from '../writes/create.ts'
import { remove } from '../writes/delete-record.ts'
import { restore } from '../writes/restore.ts'
import { update } from '../writes/update.ts'

/** Answers an admitted call whose method the route allows. */
export function answerRoute(call: Call, route: Route): MaybePromise<Result> {
  if (isRead(call.method))
    return readPreferringReplica(call, (reading) => callEndpoint(reading, route))
  const written = callEndpoint(call, route)
  return sendsPosition(call.runtime)
    ? andThen(written, (result) => withPosition(call, result))
    : written
}

function callEndpoint(call: Call, route: Route): MaybePromise<Result> {
  const { resource } = route
  switch (route.kind) {
    case 'collection':
      return onCollection(call, resource)
    case 'item':
      return onItem(call, resource, route.key)
    case 'restore':
      return restore(call, resource, route.key)
    case 'related':
      return getRelated(call, route.relation, route.key)
  }
}

function onCollection(call: Call, resource: Resource): MaybePromise<Result> {
  switch (call.method) {
    case 'POST':
      return create(call, resource)
    case 'PATCH':
      return updateMany(call, resource)
    case 'DELETE':
      return removeMany(call, resource)
    default:
      return getMany(call, resource)
  }
}

function onItem(call: Call, resource: Resource, key: readonly string[]): MaybePromise<Result> {
  switch (call.method) {
    case 'PATCH':
    case 'PUT':
      return update(call, resource, key)
    case 'DELETE':
      return remove(call, resource, key)
    default:
      return getOne(call, resource, pathKey(resource, key))
  }
}
