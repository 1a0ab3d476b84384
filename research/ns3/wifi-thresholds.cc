// Which SNR ns-3's default error model for 802.11ax (LDPC, AWGN) and its ideal rate control ask of each MCS, in dB: a bit error
// rate of 1e-6. One line of JSON.
#include <cmath>
#include <cstdio>
#include <string>

#include "ns3/table-based-error-rate-model.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-tx-vector.h"
#include "ns3/he-phy.h"

using namespace ns3;

int main() {
  auto model = CreateObject<TableBasedErrorRateModel>();
  std::printf("[");
  for (uint8_t mcs = 0; mcs < 12; mcs++) {
    WifiTxVector vector;
    vector.SetMode(HePhy::GetHeMcs(mcs));
    vector.SetPreambleType(WIFI_PREAMBLE_HE_SU);
    vector.SetChannelWidth(20);
    vector.SetNss(1);
    vector.SetGuardInterval(800);
    std::printf("%s%.2f", mcs == 0 ? "" : ", ", 10 * std::log10(model->CalculateSnr(vector, 1e-6)));
  }
  std::printf("]\n");
  return 0;
}
