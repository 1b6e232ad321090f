import { defineFilter } from 'erace'

/** Doesn't follow links into calendars, which are endless. Each crawling thread has its own filter. */
export default defineFilter({
  name: 'no-calendars',
  create: () => ({
    accepts: (url) => !/\/(?:calendar|kalender)\//i.test(new URL(url).pathname),
  }),
})
