// Throughput of saturated WiFi (802.11ax, 5 GHz) in ns-3: cells of one access point and some stations each, which hear each
// other or do not as a graph says. One run, one line of JSON. wifi-truth.ts compiles it and has the list of runs.
//
// Everybody in a cell hears everybody in the cells beside it, as loud as its own; all others are out of reach. So two frames
// at once in cells beside each other are both lost, and only carrier sense decides who sends.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/packet-socket-address.h"
#include "ns3/packet-socket-client.h"
#include "ns3/packet-socket-helper.h"
#include "ns3/packet-socket-server.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

using namespace ns3;

namespace {

const uint32_t payloadBytes = 1500;
const double txPowerDbm = 20;
const double deafDb = 300;

std::vector<uint64_t> receivedBytes;

void Received(uint32_t flow, Ptr<const Packet> packet, const Address&) {
  receivedBytes[flow] += packet->GetSize();
}

/** "0-1,1-2": which cells hear each other. */
std::vector<std::vector<bool>> ReadGraph(const std::string& text, uint32_t cells) {
  std::vector<std::vector<bool>> hears(cells, std::vector<bool>(cells, false));
  for (uint32_t cell = 0; cell < cells; cell++) hears[cell][cell] = true;
  std::istringstream pairs(text);
  std::string pair;
  while (std::getline(pairs, pair, ',')) {
    const auto dash = pair.find('-');
    const auto one = std::stoul(pair.substr(0, dash));
    const auto other = std::stoul(pair.substr(dash + 1));
    hears[one][other] = hears[other][one] = true;
  }
  return hears;
}

}  // namespace

int main(int argc, char* argv[]) {
  uint32_t cells = 1;
  uint32_t stations = 1;
  std::string graph;
  bool isUplink = false;
  bool withRts = false;
  double signalDbm = -45;
  double noiseFigureDb = 7;
  uint32_t width = 40;
  uint32_t streams = 1;
  std::string mcs;
  double seconds = 2;
  uint32_t seed = 1;
  double offeredMbps = 400;
  CommandLine cmd(__FILE__);
  cmd.AddValue("cells", "access points", cells);
  cmd.AddValue("stations", "stations of each", stations);
  cmd.AddValue("graph", "which cells hear each other, as 0-1,1-2", graph);
  cmd.AddValue("uplink", "stations send instead of access points", isUplink);
  cmd.AddValue("rts", "RTS/CTS before every frame instead of ns-3's default", withRts);
  cmd.AddValue("signal", "received power within reach, dBm", signalDbm);
  cmd.AddValue("noiseFigure", "of all receivers, dB", noiseFigureDb);
  cmd.AddValue("width", "of the channel, MHz", width);
  cmd.AddValue("streams", "spatial streams", streams);
  cmd.AddValue("mcs", "a fixed MCS; without, the ideal rate control", mcs);
  cmd.AddValue("seconds", "that are measured", seconds);
  cmd.AddValue("seed", "run number of ns-3's generator", seed);
  cmd.AddValue("offered", "Mb/s that each flow offers", offeredMbps);
  cmd.Parse(argc, argv);

  RngSeedManager::SetRun(seed);
  if (withRts) Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(0));

  const uint32_t each = 1 + stations;
  NodeContainer nodes;
  nodes.Create(cells * each);
  MobilityHelper mobility;
  mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
  mobility.Install(nodes);

  const auto hears = ReadGraph(graph, cells);
  auto loss = CreateObject<MatrixPropagationLossModel>();
  loss->SetDefaultLoss(deafDb);
  for (uint32_t a = 0; a < nodes.GetN(); a++) {
    for (uint32_t b = 0; b < a; b++) {
      if (!hears[a / each][b / each]) continue;
      loss->SetLoss(nodes.Get(a)->GetObject<MobilityModel>(), nodes.Get(b)->GetObject<MobilityModel>(),
                    txPowerDbm - signalDbm);
    }
  }
  auto channel = CreateObject<YansWifiChannel>();
  channel->SetPropagationLossModel(loss);
  channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());

  WifiHelper wifi;
  wifi.SetStandard(WIFI_STANDARD_80211ax);
  wifi.ConfigHeOptions("GuardInterval", TimeValue(NanoSeconds(800)));
  if (mcs.empty()) {
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
  } else {
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("HeMcs" + mcs),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
  }
  YansWifiPhyHelper phy;
  phy.SetChannel(channel);
  phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(width) + ", BAND_5GHZ, 0}"));
  phy.Set("TxPowerStart", DoubleValue(txPowerDbm));
  phy.Set("TxPowerEnd", DoubleValue(txPowerDbm));
  phy.Set("RxNoiseFigure", DoubleValue(noiseFigureDb));
  phy.Set("Antennas", UintegerValue(streams));
  phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
  phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));

  PacketSocketHelper sockets;
  sockets.Install(nodes);
  WifiMacHelper mac;
  std::vector<Ptr<NetDevice>> devices(nodes.GetN());
  for (uint32_t cell = 0; cell < cells; cell++) {
    const Ssid ssid("cell-" + std::to_string(cell));
    for (uint32_t n = 0; n < each; n++) {
      if (n == 0) mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
      else mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "MaxMissedBeacons", UintegerValue(100000));
      devices[cell * each + n] = wifi.Install(phy, mac, nodes.Get(cell * each + n)).Get(0);
    }
  }
  wifi.AssignStreams(NetDeviceContainer(devices[0]), 100);

  const double startS = 2;
  receivedBytes.assign(cells * stations, 0);
  for (uint32_t cell = 0; cell < cells; cell++) {
    for (uint32_t n = 1; n < each; n++) {
      const uint32_t from = cell * each + (isUplink ? n : 0);
      const uint32_t to = cell * each + (isUplink ? 0 : n);
      const uint32_t flow = cell * stations + n - 1;
      PacketSocketAddress address;
      address.SetSingleDevice(devices[from]->GetIfIndex());
      address.SetPhysicalAddress(devices[to]->GetAddress());
      address.SetProtocol(1 + flow);
      auto client = CreateObject<PacketSocketClient>();
      client->SetAttribute("PacketSize", UintegerValue(payloadBytes));
      client->SetAttribute("MaxPackets", UintegerValue(0));
      client->SetAttribute("Interval", TimeValue(Seconds(payloadBytes * 8 / (offeredMbps * 1e6))));
      client->SetRemote(address);
      nodes.Get(from)->AddApplication(client);
      // One after the other, so that agreements on block acknowledgements do not all collide.
      client->SetStartTime(Seconds(startS - 0.9 + 0.02 * flow));
      auto server = CreateObject<PacketSocketServer>();
      PacketSocketAddress local = address;
      local.SetSingleDevice(devices[to]->GetIfIndex());
      server->SetLocal(local);
      server->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, flow));
      nodes.Get(to)->AddApplication(server);
      server->SetStartTime(Seconds(0));
    }
  }

  std::vector<uint64_t> atStart;
  Simulator::Schedule(Seconds(startS), [&atStart] { atStart = receivedBytes; });
  Simulator::Stop(Seconds(startS + seconds));
  Simulator::Run();
  std::printf("[");
  for (uint32_t cell = 0; cell < cells; cell++) {
    uint64_t bytes = 0;
    for (uint32_t n = 0; n < stations; n++) bytes += receivedBytes[cell * stations + n] - atStart[cell * stations + n];
    std::printf("%s%.2f", cell == 0 ? "" : ", ", bytes * 8 / seconds / 1e6);
  }
  std::printf("]\n");
  Simulator::Destroy();
  return 0;
}
