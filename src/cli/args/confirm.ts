import { type CommandContext, exitCodes } from '../command.ts'

/** Asks before something is removed, if there is a terminal and no `--yes`. Returns null to go on, otherwise the exit code. */
export async function confirm(
  { io, options }: Pick<CommandContext, 'io' | 'options'>,
  question: string,
): Promise<number | null> {
  if (!io.prompt.isThere || options.flag('yes')) return null
  const reply = await io.prompt.ask(`${question} [y/N] `, { secret: false })
  if (reply === null) return exitCodes.interrupted
  if (/^y(?:es)?$/i.test(reply.trim())) return null
  io.stderr.write('nothing removed\n')
  return exitCodes.failed
}
