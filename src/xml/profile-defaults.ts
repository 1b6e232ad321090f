/** What a profile has where nothing is said. Writers leave it out, in XML; the document types say the same. */
export const profileDefaults = {
  /** Milliseconds. */
  every: 3_600_000,
  depth: 0,
  scope: 'host',
  urgency: 1,
  amount: 'summary',
  channels: ['inbox'],
  cadence: 'immediate',
  weight: 1,
  threshold: 0,
  stemming: '',
  scorer: 'keywords',
} as const

/** Where a window says less than it might. */
export const windowDefaults = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' } as const
