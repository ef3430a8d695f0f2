/** `pnpm run runtimes`: installs the runtimes and drivers that test/runtimes runs, into a folder of their own. */
import { packages } from './packages.ts'

process.exitCode = packages.install()
