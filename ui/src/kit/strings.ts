/** Texts of the shared components, and of times, undo and requests, which have no view. */
export const strings = {
  close: 'Close',
  cancel: 'Cancel',
  back: 'Back',
  save: 'Save',
  saving: 'Saving…',
  done: 'Done',
  copy: 'Copy',
  copyOf: (label: string) => `Copy: ${label}`,
  copied: 'Copied.',
  copyFailed: "The browser didn't allow copying. Select the text and copy it.",
  actions: 'Actions',
  loadMore: 'Load more',
  undo: 'Undo',
  dismiss: 'Dismiss',
  tryAgain: 'Try again',
  loading: 'Loading',
  inProgress: (label: string) => `${label}…`,
  loadFailed: "This couldn't be loaded",
  loadMoreFailed: "The rest couldn't be loaded",
  undone: (action: string) => `Undone: ${action}`,
  undoFailed: (action: string) => `Couldn't undo: ${action}`,
  nothingToUndo: 'Nothing to undo.',
  somethingWrong: 'Something went wrong.',
  serverUnreachable: "Can't reach the server. Check your connection and try again.",
  serverStatus: (status: number) => `The server responded with status ${status}. Try again in a moment.`,
  time: {
    never: 'never',
    justNow: 'just now',
    inAMoment: 'in a moment',
    minutes: (n: number) => `${n} min`,
    hours: (n: number) => `${n} h`,
    days: (n: number) => `${n} d`,
    ago: (amount: string) => `${amount} ago`,
    later: (amount: string) => `in ${amount}`,
  },
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Orders by name as people do: item 2 before item 10. */
export function byName(a: { name: string }, b: { name: string }): number {
  return names.compare(a.name, b.name)
}

/** Capitalises a message: the server's start in lower case. */
export function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** A time span as people say it: 40 s, 12 min, 3 h, 2 d. */
export function formatSpan(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  if (ms < 2 * 3_600_000) return strings.time.minutes(Math.round(ms / 60_000))
  if (ms < 2 * 86_400_000) return strings.time.hours(Math.round(ms / 3_600_000))
  return strings.time.days(Math.round(ms / 86_400_000))
}

/** A frequency in words, from a number per day. */
export function formatOften(perDay: number): string {
  if (perDay >= 1.5) return `about ${formatCount(perDay)} times a day`
  const days = Math.round(1 / perDay)
  if (days <= 1) return 'about once a day'
  return days > 365 ? 'less than once a year' : `about every ${formatCount(days)} days`
}

export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
