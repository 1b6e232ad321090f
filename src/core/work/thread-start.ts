import { importQuickly } from './quick-imports.ts'

// The first module of every thread; its argument names the second. The import is not awaited: see `thread-host.ts`.
importQuickly()
void import(process.argv[2]!)
