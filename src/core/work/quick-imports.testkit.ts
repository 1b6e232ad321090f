import { importQuickly } from './quick-imports.ts'

/** A program that imports what isn't there. It prints whose error comes: Node says that there is no module, we that there is no file. */
importQuickly()
const missing = './no-such-module.ts'
await import(missing).catch(({ code }: { code: string }) => process.stdout.write(code))
