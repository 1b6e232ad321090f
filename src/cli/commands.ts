import type { Command } from './command.ts'

/** All commands by their names, in the order of the help. Each is loaded only when it is needed: together they take as long as Node itself. */
const loaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['up', async () => (await import('./commands/up.ts')).up],
  ['profile', async () => (await import('./commands/profile.ts')).command],
  ['query', async () => (await import('./commands/query.ts')).command],
  ['aci', async () => (await import('./commands/aci.ts')).command],
  ['user', async () => (await import('./commands/user.ts')).command],
  ['channel', async () => (await import('./commands/channel.ts')).command],
  ['credential', async () => (await import('./commands/credential.ts')).command],
  ['mcp', async () => (await import('./commands/mcp.ts')).command],
  ['crawl', async () => (await import('./commands/crawl.ts')).command],
  ['larm', async () => (await import('./commands/larm.ts')).command],
  ['augment', async () => (await import('./commands/augment.ts')).command],
  ['status', async () => (await import('./commands/status.ts')).command],
  ['stats', async () => (await import('./commands/stats.ts')).command],
  ['simulate', async () => (await import('./commands/simulate.ts')).command],
  ['search', async () => (await import('./commands/search.ts')).command],
  ['history', async () => (await import('./commands/history.ts')).command],
  ['show', async () => (await import('./commands/show.ts')).command],
  ['diff', async () => (await import('./commands/diff.ts')).command],
  ['export', async () => (await import('./commands/export.ts')).command],
  ['verify', async () => (await import('./commands/verify.ts')).command],
  ['backup', async () => (await import('./commands/backup.ts')).backup],
  ['restore', async () => (await import('./commands/backup.ts')).restore],
  ['gc', async () => (await import('./commands/gc.ts')).command],
  ['serve', async () => (await import('./commands/up.ts')).serve],
  ['worker', async () => (await import('./commands/worker.ts')).command],
  ['top', async () => (await import('./top/top.ts')).command],
  ['migrate', async () => (await import('./commands/migrate.ts')).command],
  ['completion', async () => (await import('./commands/completion.ts')).command],
])

export async function findCommand(name: string): Promise<Command | undefined> {
  return loaders.get(name)?.()
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all([...loaders.values()].map((load) => load()))
}
