/** Common clients and tools for OpenAPI documents: with fixed versions, installed by `pnpm run clients`, and in no lock file. */
import { type OptionalPackages, optionalPackages } from '../support/optional-packages.ts'

/** About 340 MB. */
export const clients: OptionalPackages = optionalPackages('clients', {
  '@hey-api/openapi-ts': '0.99.0',
  '@stoplight/prism-cli': '5.16.0',
  '@stoplight/spectral-cli': '6.16.3',
  esbuild: '0.28.2',
  orval: '8.38.0',
  'swagger-client': '3.39.0',
  typescript: '5.9.3',
})
