/**
 * Delivery channels of users. What has to leave is in `deliveries.ts`; here is where it goes, and how that went.
 *
 * States: `active`; `failing` after several failures in a row, tried again from `retryAt` on, until one message arrives; `off`, by its
 * owner. The settings hold secrets: they go to the agent, and to nobody else.
 */
export type ChannelStore = {
  add(channel: ChannelDraft): Promise<Channel>
  /** In the order in which they were added. */
  list(owner: string): Promise<Channel[]>
  find(id: string): Promise<Channel | null>
  /** False where the owner has no such channel. */
  change(owner: string, id: string, to: ChannelChange): Promise<boolean>
  /** What came of the last message. */
  note(id: string, health: ChannelHealth): Promise<void>
  remove(owner: string, id: string): Promise<boolean>
  /** Of all owners together, for each kind that there is. `waiting` are annotations that have not left. */
  figures(): Promise<ChannelFigures[]>
}

export type ChannelFigures = { kind: string; channels: number; failing: number; waiting: number }

export type ChannelDraft = {
  id: string
  owner: string
  kind: string
  name: string
  settings: ChannelSettings
  createdAt: number
}

/** As its agent reads it. */
export type ChannelSettings = Readonly<Record<string, unknown>>

export const channelStates = ['active', 'failing', 'off'] as const
export type ChannelState = (typeof channelStates)[number]

export type ChannelHealth = {
  state: ChannelState
  /** Why the last message did not arrive; '' where it did. */
  reason: string
  /** In a row. */
  failures: number
  /** 0 where it may be used at once. */
  retryAt: number
  /** When a message last arrived; 0 for never. */
  sentAt: number
}

export type Channel = ChannelDraft & ChannelHealth

/** Changed settings, or being switched on, clear what failed before. */
export type ChannelChange = { name?: string; settings?: ChannelSettings; state?: 'active' | 'off' }
