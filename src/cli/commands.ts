import type { Command } from './command.ts'
import { command as aci } from './commands/aci.ts'
import { command as augment } from './commands/augment.ts'
import { backup, restore } from './commands/backup.ts'
import { command as channel } from './commands/channel.ts'
import { command as completion } from './commands/completion.ts'
import { command as crawl } from './commands/crawl.ts'
import { command as credential } from './commands/credential.ts'
import { command as diff } from './commands/diff.ts'
import { command as exportCommand } from './commands/export.ts'
import { command as gc } from './commands/gc.ts'
import { command as history } from './commands/history.ts'
import { command as larm } from './commands/larm.ts'
import { command as mcp } from './commands/mcp.ts'
import { command as migrate } from './commands/migrate.ts'
import { command as profile } from './commands/profile.ts'
import { command as query } from './commands/query.ts'
import { command as search } from './commands/search.ts'
import { command as show } from './commands/show.ts'
import { command as simulate } from './commands/simulate.ts'
import { command as stats } from './commands/stats.ts'
import { command as status } from './commands/status.ts'
import { serve, up } from './commands/up.ts'
import { command as user } from './commands/user.ts'
import { command as verify } from './commands/verify.ts'
import { command as worker } from './commands/worker.ts'
import { command as top } from './top/top.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  up,
  profile,
  query,
  aci,
  user,
  channel,
  credential,
  mcp,
  crawl,
  larm,
  augment,
  status,
  stats,
  simulate,
  search,
  history,
  show,
  diff,
  exportCommand,
  verify,
  backup,
  restore,
  gc,
  serve,
  worker,
  top,
  migrate,
  completion,
]
