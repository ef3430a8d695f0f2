/** `pnpm run clients`: installs the clients and apps of test/clients, each into a separate folder. */
import { exampleApps } from './example-apps.ts'
import { clients } from './packages.ts'

for (const packages of [clients, ...Object.values(exampleApps)]) {
  process.exitCode ||= packages.install()
}
