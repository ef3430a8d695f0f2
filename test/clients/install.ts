/** `pnpm run clients`: installs the clients that test/clients runs, into a folder of their own. */
import { clients } from './packages.ts'

process.exitCode = clients.install()
