import { formatCount } from '../kit/strings.ts'

/** Texts of the search page. */
export const strings = {
  title: 'Search',
  titleFor: (query: string) => `Search: ${query}`,
  lead: 'Search every saved version of the pages you watch.',
  label: 'Search for',
  placeholder: '"solar power" -advert site:example.org',
  submit: 'Search',
  searching: 'Searching',
  start: 'What are you looking for?',
  startAdvice: 'Enter words or phrases, or try an example.',
  filters: 'Filters',
  removeFilter: (condition: string) => `Remove ${condition}`,
  failedNote: 'Your search is still in the box.',
  nothing: 'No results',
  nothingAdvice:
    'Try fewer or different words, OR between them, or * at the end of a word. Only pages you watch are searched.',
  noPatterns:
    'Search finds words; /regular expressions/ only work in profiles. Search for words, or create a profile to be notified.',
  notifyMe: 'Notify me about this',
  results: (n: number, isMore: boolean, ms: number) =>
    `${formatCount(n)}${isMore ? '+' : ''} ${n === 1 && !isMore ? 'result' : 'results'} in ${ms} ms`,
  saveAsProfile: 'Save as profile',
  more: 'More results',
  loading: 'Loading…',
  version: (n: number) => `Version ${n}`,
  history: 'History',
  original: 'Original',
  narrow: 'Narrow results',
  source: 'Source',
  time: 'Time',
  periods: {
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
    year: 'Last year',
    older: 'Older than a year',
  },
  keys: { group: 'Search', edit: 'Edit search', next: 'Next result', previous: 'Previous result' },
  operators: [
    ['solar power', 'both words'],
    ['"solar power"', 'exact phrase'],
    ['wind OR sun', 'either word'],
    ['-advert', 'exclude a word'],
    ['photo*', 'words starting with photo'],
    ['intitle:sun', 'in the title'],
    ['site:example.org', 'on this site or its subdomains'],
    ['after:2026-01-31', 'versions from this day on'],
    ['before:2026-01-31', 'versions before this day'],
  ],
}
