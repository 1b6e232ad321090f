import { randomBytes } from 'node:crypto'

/** Id of a message: 120 random bits, so that ids of different services never collide. */
export function newMessageId(): string {
  return `msg_${randomBytes(15).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y')}`
}
