import { enableCompileCache } from 'node:module'
import type { Engine } from './cli/engine.ts'
import { endWithLauncher } from './cli/launched.ts'

endWithLauncher(process)
// Caches compiled modules between starts: halves the start-up time and saves 45 MB over all threads.
const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const { importQuickly } = await import('./core/work/quick-imports.ts')
importQuickly()
const { createProcessIo } = await import('./cli/output/io.ts')
const { runCli } = await import('./cli/run-cli.ts')

const archive = () => import('./app/commands/archive.ts')
const channels = () => import('./app/commands/channels.ts')
const credentials = () => import('./app/commands/credentials.ts')
const cluster = () => import('./app/commands/cluster.ts')
const mcp = () => import('./app/commands/mcp.ts')
const maintenance = () => import('./app/commands/maintenance.ts')
const profiles = () => import('./app/commands/profiles.ts')
const users = () => import('./app/commands/users.ts')

/** What the commands use is loaded when one needs it. */
const engine: Engine = {
  abilities: async (config) => (await import('./app/protocols.ts')).loadAbilities(config),
  crawl: async (settings, hooks, { store }) =>
    store === null
      ? (await import('./app/roles/crawl.ts')).crawl(settings, hooks)
      : (await import('./app/roles/crawl-cluster.ts')).crawl(store, settings, hooks),
  up: async ({ dataDir, config }, hooks) => (await import('./app/roles/up.ts')).up(dataDir, config, hooks),
  serve: async (...args) => (await import('./app/roles/serve.ts')).serve(...args),
  worker: async (...args) => (await import('./app/roles/worker.ts')).worker(...args),
  mcp: async (...args) => (await mcp()).mcp(...args),
  control: async (...args) => (await cluster()).control(...args),
  schema: async (...args) => (await cluster()).schema(...args),
  migrate: async (...args) => (await cluster()).migrate(...args),
  distribute: async (...args) => (await cluster()).distribute(...args),
  importFolder: async (...args) => (await cluster()).importFolder(...args),
  moveObjects: async (...args) => (await cluster()).moveObjects(...args),
  importProfiles: async (...args) => (await profiles()).importProfiles(...args),
  exportProfiles: async (...args) => (await profiles()).exportProfiles(...args),
  exportUrds: async (...args) => (await profiles()).exportUrds(...args),
  query: async (...args) => (await profiles()).query(...args),
  importAcis: async (...args) => (await profiles()).importAcis(...args),
  previewProfiles: async (...args) => (await profiles()).previewProfiles(...args),
  addUser: async (...args) => (await users()).addUser(...args),
  listUsers: async (...args) => (await users()).listUsers(...args),
  setPassword: async (...args) => (await users()).setPassword(...args),
  removeUser: async (...args) => (await users()).removeUser(...args),
  channelKinds: async (...args) => (await channels()).channelKinds(...args),
  addChannel: async (...args) => (await channels()).addChannel(...args),
  listChannels: async (...args) => (await channels()).listChannels(...args),
  testChannel: async (...args) => (await channels()).testChannel(...args),
  removeChannel: async (...args) => (await channels()).removeChannel(...args),
  addCredentials: async (...args) => (await credentials()).addCredentials(...args),
  listCredentials: async (...args) => (await credentials()).listCredentials(...args),
  removeCredentials: async (...args) => (await credentials()).removeCredentials(...args),
  history: async (...args) => (await archive()).history(...args),
  show: async (...args) => (await archive()).show(...args),
  diff: async (...args) => (await archive()).diff(...args),
  diffPage: async (...args) => (await archive()).diffPage(...args),
  search: async (...args) => (await archive()).search(...args),
  export: async (...args) => (await archive()).exportArchive(...args),
  stats: async (...args) => (await archive()).stats(...args),
  simulate: async (...args) => (await import('./app/commands/simulate.ts')).simulate(...args),
  status: async (...args) => (await maintenance()).status(...args),
  retryTasks: async (...args) => (await maintenance()).retryTasks(...args),
  augment: async (...args) => (await maintenance()).augment(...args),
  gc: async (...args) => (await maintenance()).gc(...args),
  verify: async (...args) => (await maintenance()).verify(...args),
  verifyWacz: async (...args) => (await archive()).verifyWacz(...args),
  backup: async (...args) => (await maintenance()).backup(...args),
  restore: async (...args) => (await maintenance()).restore(...args),
}

const io = createProcessIo(process)
const code = await runCli({ argv: process.argv.slice(2), env: process.env, cwd: workingFolder(), io, engine })
// A pipe accepts what its reader has room for; the rest would be lost when the process exits.
for (const stream of [process.stdout, process.stderr]) await new Promise<unknown>((done) => stream.write('', done))
const lost = io.lostOutput()
if (lost === null || code !== 0) process.exit(code)
io.stderr.write(`erace: the result can't be written: ${lost.message}\n`)
process.exit(1)

function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    io.stderr.write("erace: the current folder doesn't exist any more; change to another one\n")
    process.exit(1)
  }
}
