import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function ProfileView() {
  return (
    <Page title="Profile">
      <LoadingState />
    </Page>
  )
}
