import type { Command } from './command.ts'
import { command as crawl } from './crawl.ts'
import { command as status } from './status.ts'
import { command as verify } from './verify.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [crawl, status, verify]
