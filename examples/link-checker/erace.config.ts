export default {
  parts: { modules: ['./link-checker.ts'] },
}
