// Why Weft leaves something out of a report, for people: in its answers, and in what agents log.

export const ignoredReasons = {
  array: 'arrays are not stored; send numbers under names of their own',
  name: 'a name has 1 to 256 characters, no comma and no control characters',
  repeated: 'another field of the sample has this name',
  text: 'this text is not a JSON object',
  not_an_object: 'it should be an object with latitude and longitude',
  not_a_place: 'it should have a latitude from -90 to 90 and a longitude from -180 to 180',
  beside_payload: 'only fields inside of payload are stored',
  beside_samples: 'only fields inside of samples are stored',
  unreadable_time: 'the time cannot be read, so the sample was not stored',
  not_a_list: 'devices, and what each of them hears, should be lists',
  no_device: 'a device needs an identity of 1 to 128 printable characters, and what it hears an ap_id or a bssid',
  not_a_number: 'the values of a device should be numbers',
  too_many_devices: 'Weft keeps no more devices (WEFT_MAX_DEVICES)',
  too_many_new_devices:
    'more devices have joined than one access point may report; they count when they are reported later',
  too_many_changes: 'its configuration has changed too often; it is taken when it is reported later',
};
