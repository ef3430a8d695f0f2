/** `pnpm run clients`: installs the clients and apps that test/clients runs, each into a folder of its own. */
import { exampleApps } from './example-apps.ts'
import { clients } from './packages.ts'

for (const packages of [clients, ...Object.values(exampleApps)]) {
  process.exitCode ||= packages.install()
}
