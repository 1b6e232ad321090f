export default {
  parts: { filters: ['./no-calendars.ts'] },
}
