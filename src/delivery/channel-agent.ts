import type { Clock } from '../core/clock.ts'
import type { Message } from './render/message.ts'

/**
 * Delivers messages over one kind of channel. One file per agent. It says all that a form, the check of what is given and a table in
 * the docs need. Agents of this contract are not registered yet: see `agent.ts` for what the outbox is delivered by.
 */
export type ChannelAgent = {
  readonly kind: string
  /** What people call it. */
  readonly label: string
  /** In a sentence, for the form and the docs. */
  readonly about: string
  readonly settings: readonly SettingField[]
  /** Others may not even try it. */
  readonly isForAdministrators?: boolean
  /** What is wrong with settings that are right one by one; null for nothing. */
  check?(settings: Settings): string | null
  /** What goes wrong on the way is an outcome too; what is thrown counts as `later`. */
  send(message: Message, settings: Settings, tools: AgentTools): Promise<SendOutcome>
}

export type SettingField = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** A `secret` is never shown again. `lines`: a list, one on each line. */
  readonly type: 'text' | 'secret' | 'url' | 'email' | 'number' | 'flag' | 'choice' | 'lines' | 'long'
  readonly isRequired?: boolean
  readonly choices?: readonly string[]
  readonly usual?: string | number | boolean
}

export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>

export type SendOutcome =
  /** `answer` is what the other side said. */
  | { readonly kind: 'delivered'; readonly answer: string }
  /** A later attempt may succeed, not before `afterMs` where the receiver names a time. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs?: number }
  | { readonly kind: 'never'; readonly reason: string }

export type AgentTools = {
  /** Refuses private addresses, follows no redirects, and reads no more of an answer than is needed to understand it. */
  http: HttpSender
  /** An address of a host that the guard lets through; throws where there is none. */
  resolve(host: string): Promise<string>
  /** The mail server of the service; '' where it has none. */
  mail: { readonly server: string; readonly from: string }
  /** Certificates that mail servers may have, beside the usual ones. */
  mailAuthority?: string
  clock: Clock
}

export type HttpSender = (request: HttpRequest) => Promise<HttpAnswer>

export type HttpRequest = {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export type HttpAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}
