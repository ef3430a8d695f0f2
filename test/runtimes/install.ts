/** `pnpm run runtimes`: installs the runtimes and drivers of test/runtimes into a separate folder. */
import { packages } from './packages.ts'

process.exitCode = packages.install()
