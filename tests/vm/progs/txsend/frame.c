// SPDX-License-Identifier: GPL-2.0-only
/*
 * txsend: packets whose headers user space writes itself.
 */
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>

#include "txsend.h"

/* Internet checksum, not inverted, of @len bytes on top of @sum. */
unsigned short checksum(const void *data, size_t len, unsigned int sum)
{
	const unsigned char *p = data;

	for (; len > 1; p += 2, len -= 2)
		sum += p[0] << 8 | p[1];
	if (len)
		sum += p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void make_ip4(const struct target *to, unsigned char *p, size_t len, int proto)
{
	struct iphdr ip = { .version = 4, .ihl = 5, .ttl = 64, .tot_len = htons(len),
			    .protocol = proto, .daddr = to->v4.s_addr };

	/* From .1 to .2 of the same network. */
	ip.saddr = htonl(ntohl(to->v4.s_addr) - 1);
	ip.check = htons(~checksum(&ip, sizeof(ip), 0));
	memcpy(p, &ip, sizeof(ip));
}

void make_ip6(const struct target *to, unsigned char *p, size_t len, int proto)
{
	struct ip6_hdr ip = { .ip6_src = to->v6, .ip6_dst = to->v6 };

	ip.ip6_vfc = 6 << 4;
	ip.ip6_plen = htons(len - sizeof(ip));
	ip.ip6_nxt = proto;
	ip.ip6_hlim = 64;
	ip.ip6_src.s6_addr[15]--;
	memcpy(p, &ip, sizeof(ip));
}

/*
 * The checksum field holds that of the pseudo header: right for a kernel that
 * is asked to fill it in. See finish_udp_frame() for a whole one.
 */
void make_udp_frame(const struct target *to, unsigned char *p, size_t len)
{
	struct udphdr udp = { .source = htons(TXSEND_PORT), .dest = htons(TXSEND_PORT) };
	size_t udp_len = len - 14 - 20;

	memcpy(p, to->mac, 6);
	memcpy(p + 6, to->src_mac, 6);
	p[12] = ETH_P_IP >> 8;
	p[13] = ETH_P_IP & 0xff;
	make_ip4(to, p + 14, len - 14, IPPROTO_UDP);
	udp.len = htons(udp_len);
	udp.check = htons(checksum(p + 14 + 12, 8, IPPROTO_UDP + udp_len));
	memcpy(p + 34, &udp, sizeof(udp));
}

void finish_udp_frame(unsigned char *p, size_t len)
{
	unsigned short check = ~checksum(p + 34, len - 34, 0);

	p[40] = check >> 8;
	p[41] = check & 0xff;
}
