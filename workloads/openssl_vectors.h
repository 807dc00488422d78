/*
 * openssl_vectors.h - published answers that a libcrypto is held to before and
 * after it is measured. Bytes are in hexadecimal, each with its source.
 */
#ifndef CPUPROF_WORKLOADS_OPENSSL_VECTORS_H
#define CPUPROF_WORKLOADS_OPENSSL_VECTORS_H

#include "workloads/openssl.h"

/* McGrew and Viega, The Galois/Counter Mode of Operation (submitted to NIST for
 * SP 800-38D), appendix B, test case 4. */
static const struct aead_vector aes_128_gcm_vector = {
	.key = "feffe9928665731c6d6a8f9467308308",
	.iv = "cafebabefacedbaddecaf888",
	.aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	.in = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
	      "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	.out = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
	       "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
	.tag = "5bc94fbc3221a5db94fae95ae7121a47",
};

/* RFC 8439, section 2.8.2. */
static const struct aead_vector chacha20_poly1305_vector = {
	.key = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
	.iv = "070000004041424344454647",
	.aad = "50515253c0c1c2c3c4c5c6c7",
	.in = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173"
	      "73206f66202739393a204966204920636f756c64206f6666657220796f75206f"
	      "6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"
	      "637265656e20776f756c642062652069742e",
	.out = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
	       "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
	       "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
	       "3ff4def08e4b7a9de576d26586cec64b6116",
	.tag = "1ae10b594f09e26a7e902ecbd0600691",
};

/* FIPS 180-2, appendix B: one block, two blocks, a million bytes. */
static const struct digest_vector sha_256_vectors[] = {
	{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	{ NULL, 0, NULL },
};

/* NIST CAVP, SigGen15_186-3.rsp, modulus of 2048 bits, the first message with
 * SHA-256. */
static const struct signature_vector rsa_2048_vector = {
	.public_key =
		"30820121300d06092a864886f70d01010105000382010e003082010902820101"
		"00a564d3d06be468a46958d56bb4884e2c4c28f538b7e15df35330505177789d"
		"3e1d792ad7aec7fc80a8cccf7ed4030471100401724bd4636a8a8244180cc655"
		"e256c00e778efe8bea55ab52d3a557075e35039d687cc0755b939a44a73033a0"
		"a6f09d2d6ae7e6593380718be00814d20567b1d7d48b633735e423017ff0a7b4"
		"06d822f45fbb4d234028ca78abb702b18fcce13d2f69148ef584e9aaf283caab"
		"38f6946d342d600c6e77b7370a05ff302e5483b0faad3103d0b3e8c9c8e9eca1"
		"d4a871bdbd09585eb00dc3a488271cf6a3b767e68ea9bd2c83e8c89fd047f179"
		"15cf6a4c05bb9222b7e4470df5f3f1a28324c1aafcbb2236d2293041d128b0e1"
		"5f02021001",
	.digest = "6db37525fc9d8333b6954451ce2795c747c095f2407896af214faca91fe0b6da",
	.signature =
		"795b0d51721469dcdf14df08eacaa83af79c2734226b3c8e048cbc4bd44ed7dc"
		"6c1efaefe1c71f017a87641827a0d3af287e8c27efa7cebfc9435efc7f6eab1e"
		"373551887217d08313e8ae5ef0b0efcb87c49c1f2898fcc117ac7db229d34bd4"
		"ac39a4f91377f4b5a038338e7d4cf530e4e00ff67bf257e27e55fa6d2c0eb21a"
		"d0bcfd65f9ea760a440cab4f904d4b817604289bc8ff96fb07c0a23b5d31abff"
		"a706241d47fb42ef09b7bec820e6076ebe7e1e0f4eefe755bab2cbcae557aab8"
		"208bb681d5381c1d09b4ccf1100f33cad1990efb507062ea51de3dfae0821f10"
		"6b4b052244c379d0d32de7a56ee17a7d9a5dca2b472f0d3eefa05f4e02fc0295",
};

/* RFC 6979, A.2.5, SHA-256, message "sample". */
static const struct signature_vector ecdsa_p256_vector = {
	.public_key =
		"3059301306072a8648ce3d020106082a8648ce3d0301070342000460fed4ba25"
		"5a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008"
		"b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
	.digest = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
	.signature =
		"3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0e"
		"a84eaf3716022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff406"
		"4dc4ab2f843acda8",
};

#endif
