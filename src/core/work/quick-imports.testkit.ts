import { importQuickly } from './quick-imports.ts'

/**
 * Imports a module that doesn't exist and prints the error code, which shows who resolved it: Node reports a missing module, our hook a
 * missing file.
 */
importQuickly()
const missing = './no-such-module.ts'
await import(missing).catch(({ code }: { code: string }) => process.stdout.write(code))
