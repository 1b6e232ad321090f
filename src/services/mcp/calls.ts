import { AppError, type ErrorCode, isAppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { McpCaller, Tool, ToolAnswer } from './tool.ts'

/** How a call ended; a failure is an answer too, which the model can read and act on. */
export type CallOutcome = { kind: 'answer'; answer: ToolAnswer } | { kind: 'failed'; code: ErrorCode; message: string }

export type Calls = {
  run(tool: Tool, caller: McpCaller, args: unknown): Promise<CallOutcome>
  /** Applies the same limits to any other work for a caller. */
  limited<T>(caller: McpCaller, work: () => Promise<T>): Promise<T>
}

export type CallsDeps = {
  onProblem(message: string, fields: Record<string, unknown>): void
  limits?: Partial<CallLimits>
}

type CallLimits = { maxOfOwner: number; timeLimitMs: number }

/** The archive has shorter limits for waiting and reading, which apply first. */
const usualLimits: CallLimits = { maxOfOwner: 8, timeLimitMs: 50_000 }

export function createCalls({ onProblem, limits: given }: CallsDeps): Calls {
  const limits = { ...usualLimits, ...given }
  const underWay = new Map<string, number>()

  /** Counts as in progress until the work ends, even after the caller's timeout. */
  async function limited<T>({ owner }: McpCaller, work: () => Promise<T>): Promise<T> {
    const count = underWay.get(owner) ?? 0
    if (count >= limits.maxOfOwner)
      throw new AppError('too-many-reads', `${count} of your calls are in progress; wait until one of them has ended`)
    underWay.set(owner, count + 1)
    const working = work().finally(() => {
      const left = underWay.get(owner)! - 1
      if (left === 0) underWay.delete(owner)
      else underWay.set(owner, left)
    })
    return withinLimit(working, limits.timeLimitMs, () => {
      throw new AppError('took-too-long', `this took longer than ${limits.timeLimitMs / 1000} seconds`)
    })
  }

  return {
    limited,
    async run(tool, caller, args) {
      try {
        if (tool.access === 'write' && !caller.mayWrite)
          throw new AppError('forbidden', `${tool.name} needs a token with the scope write`)
        return { kind: 'answer', answer: await limited(caller, () => tool.call(caller, args as never)) }
      } catch (error) {
        if (!isAppError(error) || isInternal(error)) onProblem('an MCP call failed', { err: error, tool: tool.name })
        return { kind: 'failed', ...publicError(error) }
      }
    },
  }
}

const MAX_MESSAGE = 2000

const isInternal = ({ code }: AppError): boolean => code === 'internal' || code.startsWith('store-')

/** Messages of the store and of internal failures name files and addresses; they go to the log only. */
export function publicError(error: unknown): { code: ErrorCode; message: string } {
  if (!isAppError(error)) return { code: 'internal', message: 'internal error; see the server log' }
  if (!isInternal(error)) return { code: error.code, message: error.message.slice(0, MAX_MESSAGE) }
  const isBrief = error.retry === 'later'
  return {
    code: error.code,
    message: isBrief ? 'the store is not responding; try again in a moment' : 'internal error; see the server log',
  }
}
