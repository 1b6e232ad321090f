import { type CommandContext, exitCodes } from '../command.ts'

/** Asks, where there is a terminal and no `--yes`, before something is removed. The exit code where it isn't to be done; null to go on. */
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
