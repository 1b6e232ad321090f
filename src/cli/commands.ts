import { command as backup } from './backup.ts'
import type { Command } from './command.ts'
import { command as crawl } from './crawl.ts'
import { command as diff } from './diff.ts'
import { command as exportCommand } from './export.ts'
import { command as gc } from './gc.ts'
import { command as history } from './history.ts'
import { command as migrate } from './migrate.ts'
import { command as profile } from './profile.ts'
import { command as query } from './query.ts'
import { command as restore } from './restore.ts'
import { command as search } from './search.ts'
import { command as serve } from './serve.ts'
import { command as show } from './show.ts'
import { command as status } from './status.ts'
import { command as top } from './top.ts'
import { command as up } from './up.ts'
import { command as user } from './user.ts'
import { command as verify } from './verify.ts'
import { command as worker } from './worker.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  up,
  profile,
  query,
  user,
  crawl,
  status,
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
]
