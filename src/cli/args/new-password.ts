import { AppError } from '../../core/errors.ts'
import { checkedPassword } from '../../services/accounts/account-text.ts'
import type { CommandContext } from '../command.ts'

const MAX_PIPED_BYTES = 8192

/** From `ERACE_PASSWORD`, from a person who types it twice, or from a pipe: never from the command line, which others can read. Null where it was broken off. */
export async function readNewPassword({ env, io }: Pick<CommandContext, 'env' | 'io'>): Promise<string | null> {
  const given = env.ERACE_PASSWORD ?? ''
  if (given !== '') return accepted(given)
  if (!io.prompt.isThere) {
    const [line = ''] = (await io.prompt.piped(MAX_PIPED_BYTES)).split(/\r?\n/, 1)
    if (line === '') throw wrong('no password was given: set ERACE_PASSWORD, or pipe it in')
    return accepted(line)
  }
  const first = await io.prompt.ask('New password: ', { secret: true })
  if (first === null) return null
  accepted(first)
  const second = await io.prompt.ask('The same again: ', { secret: true })
  if (second === null) return null
  if (first !== second) throw wrong('the two are not the same')
  return first
}

function accepted(password: string): string {
  try {
    return checkedPassword(password)
  } catch (error) {
    throw wrong((error as Error).message)
  }
}

function wrong(message: string): AppError {
  return new AppError('usage-wrong', message)
}
