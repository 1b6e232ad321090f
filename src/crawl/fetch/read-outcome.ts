import type { ErrorCode } from '../../core/errors.ts'

/** Why bytes can't be a response. */
export type Fault = { code: ErrorCode; message: string }

/**
 * How far some bytes took a response: `more` must arrive, it is `complete`, or the rest isn't wanted and its receiver has ended
 * the exchange.
 */
export type ReadOutcome = 'more' | 'complete' | 'stopped' | Fault

export function malformed(message: string): Fault {
  return { code: 'http-malformed', message }
}

export function tooLarge(part: 'header' | 'trailer', maxBytes: number): Fault {
  return { code: 'header-too-large', message: `the response ${part} is longer than ${maxBytes} bytes` }
}
