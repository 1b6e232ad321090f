import { importQuickly } from './quick-imports.ts'

// The first module of every thread; its argument names the second. Nothing waits for it here: see `thread-host.ts`.
importQuickly()
void import(process.argv[2]!)
