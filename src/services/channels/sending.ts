import { AppError } from '../../core/errors.ts'
import { type Message, subjectOf } from '../../delivery/render/message.ts'
import { messageText } from '../../delivery/render/text.ts'
import type { Channel } from '../../store/contracts/channels.ts'

/** Tests and previews of channels, offered by a process that sends messages. */
export type ChannelSending = {
  /** Sent at once, bypassing the queue. */
  tests: { send(channel: Channel): Promise<TestResult> }
  previews: { next(channel: Channel): Promise<NextMessage | null> }
}

/** `answer`: the receiver's answer, or why it could not be reached. */
export type TestResult = { outcome: 'delivered' | 'later' | 'never'; answer: string }

export type NextMessage = { at: number; message: Message; later: number }

/** For processes that send nothing. */
export const noSending: ChannelSending = {
  tests: {
    async send() {
      throw new AppError('not-available', 'this process sends no messages')
    },
  },
  previews: { next: async () => null },
}

/** Preview of the next message. */
export type ShownMessage = {
  at: number
  kind: Message['kind']
  subject: string
  text: string
  items: readonly ShownItem[]
  leftOut: number
  later: number
}

export type ShownItem = {
  annotation: number
  profile: string
  title: string
  url: string
  summary: string
  urgency: number
  relevance: number
  alsoAt: readonly string[]
}

export function shownMessage({ at, message, later }: NextMessage): ShownMessage {
  const { kind, items, leftOut } = message
  return {
    ...{ at, kind, subject: subjectOf(message), text: messageText(message), leftOut, later },
    items: items.map(({ id, profile, title, url, summary, urgency, relevance, alsoAt }) => ({
      ...{ annotation: id, profile, title, url, summary, urgency, relevance, alsoAt },
    })),
  }
}
