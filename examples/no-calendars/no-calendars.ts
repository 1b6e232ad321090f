import { defineFilter } from 'erace'

/** Doesn't follow links into calendars, which have no end. Each crawling thread has a filter of its own. */
export default defineFilter({
  name: 'no-calendars',
  create: () => ({
    accepts: (url) => !/\/(?:calendar|kalender)\//i.test(new URL(url).pathname),
  }),
})
