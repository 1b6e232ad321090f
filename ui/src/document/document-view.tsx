import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function DocumentView() {
  return (
    <Page title="Document">
      <LoadingState />
    </Page>
  )
}
